// Forms of what is stored: documents, and check entries on the bus. A form has a number, its schema. Whoever reads an earlier schema upgrades
// it; whoever meets a later one keeps off it, because a newer version has written it.

/** Something stored. `schema`: number of its form; absent: 1. */
export interface Numbered {
  schema?: number
}

export interface Form<T extends object> {
  /** Present schema. It is raised with each change of the form that has no default for what is absent. */
  schema: number
  /** Returns what is stored with an earlier schema in the present form. */
  upgrade(earlier: T & Numbered): T
}

export const schemaOf = (stored: object): number => (stored as Numbered).schema ?? 1

/** Returns what is stored in the present form; null: its schema is later, or no number. */
export function upgraded<T extends object>(form: Form<T>, stored: T & Numbered): T | null {
  const schema = schemaOf(stored)
  if (schema === form.schema) return stored
  return Number.isInteger(schema) && schema >= 1 && schema < form.schema ? numbered(form, form.upgrade(stored)) : null
}

/** Returns the value with the number of its form. The first form has no number, as everything that version 2.0.0 stored. */
export const numbered = <T extends object>({ schema }: Form<T>, value: T): T => (schema === 1 ? value : { ...value, schema })

/** A form that has never changed. */
export const firstForm = <T extends object>(): Form<T> => ({ schema: 1, upgrade: same => same })
