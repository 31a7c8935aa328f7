// Signals of a Template: valid declarations of those on which senders report, and of those that probers check. Pure. Reference:
// docs/reference/v3.md, 3.7, 3.21 and 3.24.

import type { CheckField } from '#shared/checks/check-field.ts'
import type { CheckKind } from '#shared/checks/check-kind.ts'
import { faultOf } from '#shared/checks/field-values.ts'
import { findOffered } from '#shared/checks/registry.ts'
import { scheduleKind } from '#shared/contracts/resources/schedule.ts'
import {
  type CheckSignal,
  checkKind,
  type Manifest,
  type MetaReference,
  type TemplateAnswer,
  type TemplateField,
  type TemplateSignal,
} from '#shared/contracts/resources/template.ts'
import { isSealed } from '#shared/secrecy/sealed-form.ts'
import { isAgreement, isReference, usualAnswers } from './check-options.ts'
import { takesField } from './field-fits.ts'
import { ManifestRefusal, refuse } from './manifest-refusal.ts'
import { readScheduledSignal } from './read-schedule.ts'

type SentSignal = Manifest['signals'][number]

/** Returns the signal. Throws ManifestRefusal for its first fault; `place`: its path in the manifest. */
export function readSignal(sent: SentSignal, place: string, fields: readonly TemplateField[]): TemplateSignal {
  if (sent.kind === checkKind) return readCheckSignal(sent, place, fields)
  for (const member of ['every', 'check', 'locations', 'agreement'] as const) {
    if (sent[member] != null) throw refuse(`${place}.${member}`, `Only a signal of the kind ${checkKind} has ${member}`)
  }
  if (sent.kind === scheduleKind) return readScheduledSignal(sent, place, fields)
  const { key, kind, help } = sent
  if (sent.schedule != null) throw refuse(`${place}.schedule`, `Only a signal of the kind ${scheduleKind} has schedule`)
  const everySeconds = sent.every_seconds ?? null
  if (everySeconds !== null && typeof everySeconds !== 'number')
    throw refuse(`${place}.every_seconds`, `The every_seconds of a ${kind} signal is a number`)
  if (kind === 'event' && everySeconds !== null) {
    throw refuse(`${place}.every_seconds`, 'An event has no every_seconds: it never goes quiet')
  }
  if (kind !== 'event' && everySeconds === null) throw refuse(`${place}.every_seconds`, `A ${kind} signal needs every_seconds`)
  return { key, kind, everySeconds, help: help ?? '' }
}

function readCheckSignal(sent: SentSignal, place: string, fields: readonly TemplateField[]): CheckSignal {
  const { key, check, every, help } = sent
  if (sent.schedule != null) throw refuse(`${place}.schedule`, `Only a signal of the kind ${scheduleKind} has schedule`)
  if (check == null) throw refuse(`${place}.check`, 'A check needs check: its type and its options')
  const kind = findOffered(check.type)
  if (kind === null) throw refuse(`${place}.check.type`, `There is no kind of check '${check.type}'`)
  const options = readOptions(kind, check, `${place}.check`, fields)
  const everySeconds = sent.every_seconds ?? every ?? null
  if (everySeconds === null) throw refuse(`${place}.every_seconds`, 'A check needs every_seconds')
  if (isReference(everySeconds)) requireSeconds(everySeconds, fields, `${place}.every_seconds.meta`)
  const agreement = sent.agreement ?? 'any'
  if (isReference(agreement)) requireAgreement(agreement, fields, `${place}.agreement.meta`)
  return {
    ...{ key, kind: checkKind, everySeconds, check: { type: kind.key, ...options } },
    ...{ locations: readLocations(sent, place, fields), agreement, help: help ?? '' },
  }
}

/** Returns the options in the order of the kind. An option sent as null is absent. */
function readOptions(kind: CheckKind, sent: Readonly<Record<string, unknown>>, place: string, fields: readonly TemplateField[]) {
  const unknown = Object.keys(sent).find(key => key !== 'type' && !kind.fields.some(field => field.key === key))
  if (unknown !== undefined)
    throw new ManifestRefusal({
      kind: 'unreadable',
      field: `${place}.${unknown}`,
      message: `A check of the type ${kind.key} has no option '${unknown}'`,
    })
  const options: Record<string, TemplateAnswer | MetaReference> = {}
  for (const option of kind.fields) {
    const value = sent[option.key] ?? null
    if (value !== null) options[option.key] = readOption(option, value, `${place}.${option.key}`, fields)
    else if (option.required) throw refuse(`${place}.${option.key}`, `A check of the type ${kind.key} needs ${option.key}`)
  }
  const isWhole = !Object.values(options).some(isReference)
  const refused = isWhole ? (kind.refuse?.(usualAnswers(kind, options)) ?? null) : null
  if (refused !== null) throw refuse(`${place}.${refused.key}`, `Option '${refused.key}' ${refused.fault}`)
  return options
}

function readOption(option: CheckField, value: unknown, place: string, fields: readonly TemplateField[]) {
  if (isReference(value)) {
    requireFitting(option, value, fields, `${place}.meta`)
    return value
  }
  if (option.type === 'secret' && !option.mayBePlain)
    throw refuse(place, `The option ${option.key} may hold a secret: name a field of the type secret, {"meta": "<key>"}`)
  const fault = isSealed(value) ? 'must not be in the form of a sealed secret' : faultOf(option, value)
  if (fault !== null) throw refuse(place, `Option '${option.key}' ${fault}`)
  return value as TemplateAnswer
}

function requireFitting(option: CheckField, { meta }: MetaReference, fields: readonly TemplateField[], place: string): void {
  const field = requireField(meta, fields, place)
  const wanted = takesField(option, field)
  if (wanted !== null)
    throw refuse(place, `The option ${option.key} takes ${wanted}; '${meta}' is a field of the type ${field.type}`)
  if (option.required && !field.required && field.default === null)
    throw refuse(place, `The field '${meta}' must be required or have a default`)
}

function requireField(key: string, fields: readonly TemplateField[], place: string): TemplateField {
  const field = fields.find(one => one.key === key)
  if (field === undefined) throw refuse(place, `The Template declares no field '${key}'`)
  return field
}

function requireSeconds({ meta }: MetaReference, fields: readonly TemplateField[], place: string): void {
  const field = requireField(meta, fields, place)
  if (!wholeNumbers.has(field.type)) throw refuse(place, `The field '${meta}' holds no whole seconds`)
  if (!field.required && field.default === null) throw refuse(place, `The field '${meta}' must be required or have a default`)
}

const wholeNumbers: ReadonlySet<TemplateField['type']> = new Set(['integer', 'duration', 'duration_seconds'])

function requireAgreement({ meta }: MetaReference, fields: readonly TemplateField[], place: string): void {
  const field = requireField(meta, fields, place)
  if (field.type !== 'enum' || !field.options.every(isAgreement))
    throw refuse(place, `The field '${meta}' must be an enum of any, majority, all and at_least_one`)
  if (!field.required && field.default === null) throw refuse(place, `The field '${meta}' must be required or have a default`)
}

function readLocations({ locations }: SentSignal, place: string, fields: readonly TemplateField[]): MetaReference {
  if (locations == null) throw refuse(`${place}.locations`, 'A check needs locations: {"meta": "<key of a location_list>"}')
  const field = requireField(locations.meta, fields, `${place}.locations.meta`)
  if (field.type !== 'location_list' || !field.required)
    throw refuse(`${place}.locations.meta`, `The field '${locations.meta}' must be a required location_list`)
  return locations
}
