// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders belong to the expressions of pipelines.

/** The example pipelines of `catalog/pipelines`. A test compares them. `agent_id` is the key of a catalog agent. */
export type ExamplePipeline = {
  key: string
  name: string
  description: string
  definition: { steps: readonly Record<string, unknown>[]; output: unknown }
  sample_input: Record<string, unknown>
}

export const examplePipelines: readonly ExamplePipeline[] = [
  {
    key: 'document-review',
    name: 'Document review',
    description:
      'Reads an invoice, extracts its fields, judges whether it can be paid, and notifies people if it cannot.',
    definition: {
      steps: [
        {
          key: 'extract',
          agent_id: 'extractor',
          input: {
            text: '${{ input.document }}',
            fields: [
              {
                name: 'invoice_number',
              },
              {
                name: 'supplier',
                description: 'The company that sent the invoice.',
              },
              {
                name: 'total',
                type: 'number',
                description: 'The amount to pay, with tax.',
              },
              {
                name: 'due_date',
                type: 'date',
              },
            ],
          },
          retry: {
            attempts: 3,
            on: ['model_error', 'run_timeout'],
          },
          timeout_seconds: 300,
        },
        {
          key: 'judge',
          agent_id: 'classifier',
          depends_on: ['extract'],
          input: {
            text: 'The fields of an invoice: ${{ steps.extract.output.fields }}',
            labels: [
              {
                name: 'pay',
                description: 'Every field has a value with high confidence.',
              },
              {
                name: 'ask',
                description: 'A field is missing, or its confidence is low.',
              },
              {
                name: 'reject',
                description: 'The document is not an invoice.',
              },
            ],
          },
        },
        {
          key: 'notify',
          agent_id: 'test-echo',
          depends_on: ['extract', 'judge'],
          when: 'steps.judge.output.label != "pay"',
          input: {
            query: 'An invoice needs a person (${{ steps.judge.output.label }}): ${{ steps.judge.output.reason }}',
          },
          on_error: 'continue',
        },
      ],
      output: {
        decision: '${{ steps.judge.output.label }}',
        reason: '${{ steps.judge.output.reason }}',
        fields: '${{ steps.extract.output.fields }}',
      },
    },
    sample_input: {
      document:
        'Invoice 2026-0417, Brandt & Sons, 12 May 2026\n40 h consulting at 95.00 EUR: 3,800.00 EUR. VAT 21 %: 798.00 EUR. Total due: 4,598.00 EUR, payable within 30 days.\n',
    },
  },
  {
    key: 'fan-out-research',
    name: 'Fan-out research',
    description: 'Researches several questions at the same time and sums up the answers.',
    definition: {
      steps: [
        {
          key: 'research',
          agent_id: 'web-researcher',
          for_each: 'input.questions',
          max_parallel: 5,
          on_item_error: 'continue',
          input: {
            question: '${{ item }}',
            context: '${{ input.context }}',
            max_sources: 3,
          },
          retry: {
            attempts: 2,
            on: ['model_error', 'tool_error'],
          },
          timeout_seconds: 900,
        },
        {
          key: 'combine',
          agent_id: 'summariser',
          depends_on: ['research'],
          input: {
            text: 'Questions: ${{ input.questions }}. Answers in the same order, null if there is none: ${{ steps.research.output }}',
            length: 'long',
            focus: '${{ input.context }}',
          },
        },
      ],
      output: {
        title: '${{ steps.combine.output.title }}',
        summary: '${{ steps.combine.output.summary }}',
        answers: '${{ steps.research.output }}',
      },
    },
    sample_input: {
      context: 'A briefing on the rules for new cars in the EU.',
      questions: [
        'Since when must new cars sold in the EU have an emergency call system?',
        'Since when must new cars sold in the EU have an intelligent speed assistant?',
      ],
    },
  },
  {
    key: 'approval-chain',
    name: 'Approval chain',
    description:
      'Writes release notes, asks an editor, then the owner of the product if the release breaks something, and publishes them.',
    definition: {
      steps: [
        {
          key: 'draft',
          agent_id: 'release-notes',
          input: {
            product: '${{ input.product }}',
            version: '${{ input.version }}',
            changes: '${{ input.changes }}',
          },
        },
        {
          key: 'editor',
          depends_on: ['draft'],
          approval: {
            message:
              'Publish these release notes of ${{ input.product }} ${{ input.version }}? ${{ steps.draft.output.highlights }}',
            response_schema: {
              type: 'object',
              required: ['title'],
              additionalProperties: false,
              properties: {
                title: {
                  type: 'string',
                  minLength: 1,
                  maxLength: 200,
                  description: 'The title to publish.',
                },
              },
            },
          },
          timeout_seconds: 259200,
        },
        {
          key: 'owner',
          depends_on: ['draft', 'editor'],
          when: 'input.is_breaking',
          approval: {
            message:
              'This release breaks something: ${{ steps.draft.output.breaking }}. Publish it as "${{ steps.editor.output.payload.title }}"?',
          },
          timeout_seconds: 259200,
        },
        {
          key: 'publish',
          agent_id: 'test-echo',
          depends_on: ['draft', 'editor', 'owner'],
          when: 'steps.owner.status == "completed" || steps.owner.status == "skipped"',
          input: {
            query: '${{ steps.editor.output.payload.title }}: ${{ steps.draft.output }}',
          },
        },
      ],
      output: {
        title: '${{ steps.editor.output.payload.title }}',
        published: '${{ steps.publish.output }}',
        comment: '${{ steps.editor.output.comment }}',
      },
    },
    sample_input: {
      product: 'Harbour',
      version: '2.4.0',
      is_breaking: false,
      changes: [
        {
          text: 'Lists can be filtered by date.',
          reference: '#118',
        },
      ],
    },
  },
]
