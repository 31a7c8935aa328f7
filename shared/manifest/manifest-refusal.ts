// Why a Template or the answers to its fields were refused. Each dialect maps it to its own envelope.
import type { Refusal } from '#shared/json-shape/first-refusal.ts'

export class ManifestRefusal extends Error {
  readonly kind: Refusal['kind']
  /** A dotted place in the manifest, or the key of a field whose answer was refused. */
  readonly field: string

  constructor({ kind, field, message }: Refusal) {
    super(message)
    this.name = 'ManifestRefusal'
    this.kind = kind
    this.field = field
  }
}
