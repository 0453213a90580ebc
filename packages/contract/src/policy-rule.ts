import { z } from 'zod'
import { fieldLimits, numbersOf, ruleLimitRows } from './bounds.ts'
import { JsonObject } from './fields.ts'

/** Limits of the rules of a policy. */
export const ruleLimits = {
  ...numbersOf(ruleLimitRows),
  timeLimitMinMs: 100,
  timeLimitDefaultMs: 2_000,
} as const

export const policyStages = ['input', 'action_payload', 'tool_call', 'tool_result', 'output'] as const

export const PolicyStage = z.enum(policyStages).meta({
  id: 'PolicyStage',
  description:
    'Where a rule looks: what enters a run (`input`, `action_payload`), calls and results of tools, the output.',
})

export const policyActions = ['block', 'require_approval', 'redact', 'flag'] as const

export const PolicyAction = z.enum(policyActions).meta({
  id: 'PolicyAction',
  description:
    '`redact` replaces what was found by a token such as `[EMAIL_1]`. `require_approval` makes the run wait. `flag` records a finding only.',
})

export const policyChecks = [
  'regex',
  'keywords',
  'pii',
  'secrets',
  'json_schema',
  'url_allow',
  'max_length',
  'expression',
  'model',
  'http',
  'presidio',
] as const

/** They send what they judge to a host or to a model. */
export const sendingChecks = ['http', 'presidio', 'model'] as const satisfies readonly (typeof policyChecks)[number][]

const words = {
  id: 'Unique within the policy. Findings name the rule by it.',
  stages: 'Where the rule looks.',
  params: 'The parameters of the check.',
} as const

const RuleId = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,39}$/, 'must be a name of a-z, 0-9, _ and -, at most 40 characters')
  .meta({
    id: 'PolicyRuleId',
    description: `${words.id} Default: \`rule_1\` for the first rule, and so on.`,
    examples: ['no_cards'],
  })

const Stages = z
  .array(PolicyStage)
  .min(1)
  .max(policyStages.length)
  .meta({ id: 'PolicyStages', description: words.stages })

const PiiKind = z
  .enum(['email', 'phone', 'card', 'iban', 'ip', 'national_id'])
  .meta({ id: 'PiiKind', description: 'A kind of personal data.' })

const timeLimit = z
  .int()
  .min(ruleLimits.timeLimitMinMs)
  .max(ruleLimits.timeLimitMaxMs)
  .default(ruleLimits.timeLimitDefaultMs)
  .meta({ description: 'Milliseconds. A rule that blocks also blocks when no answer comes in time.' })

const Url = z.string().min(1).max(ruleLimits.urlChars).meta({ description: 'HTTPS on a public host.' })

/** Sent only to the host of the rule. */
const credential = {
  credential: z
    .string()
    .max(ruleLimits.credentialChars)
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')
    .optional()
    .meta({
      writeOnly: true,
      description:
        'Sent as `Authorization: Bearer` and as `X-Api-Key`. Stored encrypted and never returned. Omitted: a saved one is kept.',
    }),
  credential_set: z
    .boolean()
    .optional()
    .meta({ description: 'False removes a saved credential. Answers have it if there is one.' }),
}

const rule = <const Check extends string, Params extends z.ZodType>(check: Check, params: Params, id: string) =>
  z
    .strictObject({
      id: RuleId.optional(),
      check: z.literal(check).meta({ description: 'The check.' }),
      stages: Stages,
      action: PolicyAction,
      params,
    })
    .meta({ id })

const regex = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(ruleLimits.patternChars)
    .meta({ description: 'A regular expression for RE2: without look-around and back-references.' }),
  case_sensitive: z.boolean().default(false).meta({ description: 'Whether the case of letters matters.' }),
  max_match_chars: z
    .int()
    .min(1)
    .max(ruleLimits.matchChars)
    .default(256)
    .meta({ description: 'The longest match. A stream holds back this many characters.' }),
})

const keywords = z.strictObject({
  words: z
    .array(z.string().min(1).max(ruleLimits.wordChars))
    .min(1)
    .max(ruleLimits.words)
    .meta({ description: 'Words and phrases, in any case.' }),
  whole_words: z.boolean().default(true).meta({ description: 'False: also within longer words.' }),
})

const pii = z.strictObject({
  kinds: z
    .array(PiiKind)
    .min(1)
    .max(PiiKind.options.length)
    .default([...PiiKind.options])
    .meta({
      description: 'The kinds to look for. Default: all.',
    }),
  countries: z
    .array(
      z
        .string()
        .regex(/^[A-Z]{2}$/, 'must be an ISO code of a country, such as US')
        .meta({ examples: ['US'] }),
    )
    .max(fieldLimits.countriesOfRule)
    .default(['US'])
    .meta({ description: 'ISO codes of countries, for phone numbers without a + and for national ids.' }),
})

const expression = z.strictObject({
  expression: z
    .string()
    .min(1)
    .max(ruleLimits.expressionChars)
    .meta({ description: 'A CEL expression. If it is true, the rule acts.', examples: ['spend.run_usd > 5.0'] }),
  message: z.string().min(1).max(ruleLimits.messageChars).meta({ description: 'The reason, for people.' }),
})

const model = z.strictObject({
  model: z.string().min(1).max(fieldLimits.modelNameChars).meta({ description: 'A model of `GET /models`.' }),
  instructions: z
    .string()
    .min(1)
    .max(ruleLimits.instructionsChars)
    .meta({ description: 'What the model shall find, in words.' }),
  time_limit_ms: timeLimit,
})

const presidio = z.strictObject({
  url: Url,
  language: z
    .string()
    .regex(/^[a-z]{2}$/, 'must be a code such as en')
    .default('en')
    .meta({
      description: 'The language of the texts.',
    }),
  entities: z
    .array(z.string().min(1).max(fieldLimits.entityChars))
    .max(ruleLimits.entities)
    .default([])
    .meta({ description: 'The entities to look for. Empty: all.' }),
  min_score: z.number().min(0).max(1).default(0.5).meta({ description: 'Findings with a lower score are ignored.' }),
  time_limit_ms: timeLimit,
  ...credential,
})

export const RuleInput = z
  .discriminatedUnion('check', [
    rule('regex', regex.meta({ id: 'RegexParams', description: words.params }), 'RegexRule'),
    rule('keywords', keywords.meta({ id: 'KeywordsParams', description: words.params }), 'KeywordsRule'),
    rule('pii', pii.prefault({}).meta({ id: 'PiiParams', description: words.params }), 'PiiRule'),
    rule(
      'secrets',
      z.strictObject({}).prefault({}).meta({ id: 'SecretsParams', description: words.params }),
      'SecretsRule',
    ),
    rule(
      'json_schema',
      z
        .strictObject({ schema: JsonObject.meta({ description: 'The content must match this JSON Schema.' }) })
        .meta({ id: 'JsonSchemaParams', description: words.params }),
      'JsonSchemaRule',
    ),
    rule(
      'url_allow',
      z
        .strictObject({
          hosts: z
            .array(
              z
                .string()
                .max(ruleLimits.hostChars)
                .meta({ examples: ['*.example.com'] }),
            )
            .min(1)
            .max(ruleLimits.hosts)
            .meta({ description: 'The rule acts on addresses of all other hosts.' }),
        })
        .meta({ id: 'UrlAllowParams', description: words.params }),
      'UrlAllowRule',
    ),
    rule(
      'max_length',
      z
        .strictObject({
          chars: z.int().min(1).max(ruleLimits.maxLengthChars).meta({ description: 'The most characters.' }),
        })
        .meta({ id: 'MaxLengthParams', description: words.params }),
      'MaxLengthRule',
    ),
    rule('expression', expression.meta({ id: 'ExpressionParams', description: words.params }), 'ExpressionRule'),
    rule('model', model.meta({ id: 'ModelParams', description: words.params }), 'ModelRule'),
    rule(
      'http',
      z
        .strictObject({ url: Url, time_limit_ms: timeLimit, ...credential })
        .meta({ id: 'HttpParams', description: words.params }),
      'HttpRule',
    ),
    rule('presidio', presidio.meta({ id: 'PresidioParams', description: words.params }), 'PresidioRule'),
  ])
  .meta({ id: 'PolicyRuleInput' })

export type RuleInput = z.output<typeof RuleInput>

/** A stored rule. One form for all checks, so that a new check does not break a client. */
export const PolicyRule = z
  .object({
    id: z.string().meta({ description: words.id }),
    check: z.enum(policyChecks).meta({ id: 'PolicyCheck', description: 'What a rule looks for.' }),
    stages: z.array(PolicyStage).meta({ description: words.stages }),
    action: PolicyAction,
    params: JsonObject.meta({ description: 'The parameters of the check, with their defaults.' }),
  })
  .meta({ id: 'PolicyRule', description: 'A check, where it looks, and what happens when it finds something.' })

export type PolicyRule = z.infer<typeof PolicyRule>
