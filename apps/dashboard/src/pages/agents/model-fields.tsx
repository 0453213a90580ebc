import type { Model } from '@agent-run-service/sdk'
import { limits } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useFormContext, useWatch } from 'react-hook-form'
import { modelsQuery } from '../../api/models.ts'
import { SelectField, TextArea, TextField } from '../../ui/field.tsx'
import { type AgentFields, scriptModel } from './agent-fields.ts'
import { useFault } from './form-faults.tsx'
import { entryOf, priceWords, providersOf } from './model-choice.ts'

/** A model of the list, or a name of a provider that takes any name. */
export const ModelFields = () => {
  const { register, setValue } = useFormContext<AgentFields>()
  const model = useWatch<AgentFields, 'model'>({ name: 'model' })
  const { data: models = [], error } = useQuery(modelsQuery)
  const entry = entryOf(models, model)
  const fault = useFault('model')
  const scriptFault = useFault('script')
  const choose = (id: string) => setValue('model', id.replace(/\*$/, ''), { shouldDirty: true })
  return (
    <>
      {error && models.length === 0 ? (
        <TextField
          label="Model"
          isRequired
          help="The list of models could not be loaded. Type the id: provider/model."
          error={fault}
          {...register('model')}
        />
      ) : (
        <SelectField
          label="Model"
          name="model"
          isRequired
          value={entry?.id ?? model}
          onChange={({ target }) => choose(target.value)}
          help={helpOf(models, entry)}
          error={entry?.is_pattern ? undefined : fault}
        >
          <option value="">Choose a model</option>
          {model !== '' && !entry && <option value={model}>{model} (not in the list)</option>}
          {providersOf(models).map(([provider, list]) => (
            <optgroup key={provider} label={provider}>
              {list.map((each) => (
                <option key={each.id} value={each.id}>
                  {optionWords(each)}
                </option>
              ))}
            </optgroup>
          ))}
        </SelectField>
      )}
      {entry?.is_pattern && (
        <TextField
          label="Name of the model"
          isRequired
          help={`Begins with ${entry.id.replace(/\*$/, '')}`}
          className="font-mono text-xs"
          error={fault}
          {...register('model')}
        />
      )}
      {model === scriptModel && (
        <TextArea
          label="Script"
          help="The turns that the simulated model plays, as a JSON list."
          rows={8}
          className="font-mono text-xs"
          error={scriptFault}
          {...register('script')}
        />
      )}
      <TextArea
        label="Fallback models"
        help={`One id per line, at most ${limits.fallbackModelsPerAgent}. Called in order while the models before are overloaded or unreachable.`}
        rows={2}
        className="font-mono text-xs"
        error={useFault('fallback_models')}
        {...register('fallback_models')}
      />
      <div className="grid gap-x-4 sm:grid-cols-2">
        <TextField
          label="Temperature"
          help="0 to 2. Empty: the default of the provider."
          inputMode="decimal"
          error={useFault('temperature')}
          {...register('temperature')}
        />
        <TextField
          label="Output tokens of one call"
          help="Empty: the default of the provider."
          inputMode="numeric"
          error={useFault('max_output_tokens')}
          {...register('max_output_tokens')}
        />
      </div>
    </>
  )
}

const helpOf = (models: readonly Model[], entry: Model | undefined): string | undefined => {
  if (models.length > 0 && models.every(({ provider }) => provider === 'simulated'))
    return 'Only simulated models answer here. Settings, Organisation: enter the key of a provider.'
  return entry && (entry.is_pattern || entry.price === null) ? priceWords(entry) : undefined
}

const optionWords = (model: Model): string => (model.price === null ? model.id : `${model.id} (${priceWords(model)})`)
