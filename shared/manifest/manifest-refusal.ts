// Error for an invalid Template, or for invalid answers to its fields. Each API converts this error to its own error response.
import { type Refusal, refused } from '#shared/json-shape/first-refusal.ts'

export class ManifestRefusal extends Error {
  readonly kind: Refusal['kind']
  /** Dotted path in the manifest, or the key of the field with the invalid answer. */
  readonly field: string

  constructor({ kind, field, message }: Refusal) {
    super(message)
    this.name = 'ManifestRefusal'
    this.kind = kind
    this.field = field
  }
}

export const refuse = (field: string, message: string) => new ManifestRefusal(refused(field, message))

/** Largest delay, and largest value of a duration field, s: a year. */
export const maxSeconds = 31_536_000
