import { type FormEvent, useState } from 'react'
import { fieldErrors } from '../api/problem.ts'

type Errors<Name extends string> = Partial<Record<Name, string>>

/** Sends a form once it is correct. What the service refuses lands at its field, or in `problem` if it names none. */
export const useSubmission = <Name extends string>(form: {
  names: readonly Name[]
  check(): Errors<Name>
  send(): Promise<void>
}) => {
  const [errors, setErrors] = useState<Errors<Name>>({})
  const [problem, setProblem] = useState<unknown>(null)
  const [isBusy, setIsBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const found = form.check()
    setErrors(found)
    setProblem(null)
    if (isBusy || Object.keys(found).length > 0) return
    setIsBusy(true)
    try {
      await form.send()
    } catch (error) {
      const refused: Errors<Name> = fieldErrors(error, form.names)
      setErrors(refused)
      if (Object.keys(refused).length === 0) setProblem(error)
    } finally {
      setIsBusy(false)
    }
  }
  return { errors, problem, isBusy, submit }
}
