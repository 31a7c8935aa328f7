// Marks of a move in the settings of both stores. A store that has left, or that is not complete yet, refuses every start (ADR 47).
import type { SettingDocument } from '#shared/store/collections.ts'
import type { Store } from '#shared/store/port.ts'
import { type MoveMark, markOfMove, moveMarkId } from '../runtime/data/move-mark.ts'

/** First characters of the ids of settings that only a move uses: its progress at the target. */
const progressPrefix = `${moveMarkId}:`
/** The first text after all texts with this prefix. */
export const progressIds = { from: progressPrefix, to: `${moveMarkId};` } as const

/** Returns whether a setting belongs to a move, and not to the installation. */
export const isOfMove = (id: string): boolean => id === moveMarkId || id.startsWith(progressPrefix)

export async function readMark(store: Pick<Store, 'get'>): Promise<MoveMark | null> {
  const [setting = null] = await store.get('settings', [moveMarkId])
  return setting === null ? null : markOfMove(setting.value)
}

export async function writeMark(store: Pick<Store, 'upsert'>, mark: MoveMark): Promise<void> {
  const setting: SettingDocument = { id: moveMarkId, rev: 1, value: JSON.stringify(mark) }
  await store.upsert('settings', [setting])
}

export async function removeMark(store: Pick<Store, 'delete'>): Promise<void> {
  await store.delete('settings', [moveMarkId])
}

/** First words of the record that a bus gets in the place of an installation's id: version 2.0.0 prints it in its refusal. */
export const fencedRecord = 'an installation that was moved to '

export const isFenced = (recordedId: string): boolean => recordedId.startsWith(fencedRecord)
