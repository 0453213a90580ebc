import type { PipelineDefinitionInput } from '@agent-run-service/sdk'
import { ApiError } from '@agent-run-service/sdk'
import { useEffect, useRef, useState } from 'react'
import { client } from '../../api/client.ts'
import { type DefinitionFault, faultsOfError, faultsOfProblems, jsonFaults } from './definition-faults.ts'

export type DefinitionCheck = {
  /** The text that was checked; undefined before the first answer. */
  text: string | undefined
  faults: readonly DefinitionFault[]
  /** The check did not take place. */
  error: unknown
}

const waitMs = 400
const nothing: DefinitionCheck = { text: undefined, faults: [], error: null }

/** Checks a definition when the person pauses. At most one check is in flight; the next one takes the newest text. */
export const useDefinitionCheck = (text: string): DefinitionCheck => {
  const [check, setCheck] = useState(nothing)
  const wanted = useRef(text)
  const isBusy = useRef(false)
  const isGone = useRef(false)
  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
    }
  }, [])
  useEffect(() => {
    wanted.current = text
    const follow = async () => {
      if (isBusy.current) return
      isBusy.current = true
      let checked: string
      do {
        checked = wanted.current
        const result = await checkText(checked)
        if (!isGone.current) setCheck(result)
      } while (!isGone.current && wanted.current !== checked)
      isBusy.current = false
    }
    const timer = setTimeout(() => void follow(), waitMs)
    return () => clearTimeout(timer)
  }, [text])
  return check
}

const checkText = async (text: string): Promise<DefinitionCheck> => {
  const broken = jsonFaults(text)
  if (broken.length > 0) return { text, faults: broken, error: null }
  try {
    const definition = JSON.parse(text) as PipelineDefinitionInput
    const { problems } = await client.pipelines.check({ definition })
    return { text, faults: faultsOfProblems(problems, text), error: null }
  } catch (error) {
    // A text of the wrong form is refused as a whole. The refusal names the fields too.
    const faults = error instanceof ApiError && error.status < 429 ? faultsOfError(error, text) : []
    return { text, faults, error: faults.length > 0 ? null : error }
  }
}
