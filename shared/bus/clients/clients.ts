// Clients of the services. Each client sends requests over the bus and returns results with the types of the contracts.
import { Compile } from 'typebox/schema'
import { requestWithRetry, resultOf } from '#shared/bus/clients/request-with-retry.ts'
import { type Bus, BusError } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import { kindWord } from '#shared/checks/abilities.ts'
import type { AskRequest, AskResults, AskVerb } from '#shared/contracts/ask/ask.ts'
import { BackupMade } from '#shared/contracts/backup.ts'
import { LevelRaised } from '#shared/contracts/level.ts'
import type { TestMessage, TestMessageResult } from '#shared/contracts/notifications/delivery.ts'
import type { CheckEntry } from '#shared/contracts/observations/check.ts'
import { TriedCheck } from '#shared/contracts/observations/try.ts'
import type { Preview, PreviewRule } from '#shared/contracts/resources/preview.ts'
import type { Command, CommandResults } from '#shared/contracts/subjects/command.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface DirectoryClient {
  /**
   * Sends a request. Throws the directory's AppError. Throws `unavailable` if no response arrives within 4 s; the directory may have
   * executed the request.
   */
  ask<V extends AskVerb>(verb: V, request: AskRequest<V>, traceId?: string): Promise<AskResults[V]>
}

export const createDirectoryClient = (bus: Bus, clock: Clock): DirectoryClient => ({
  ask: async <V extends AskVerb>(verb: V, body: AskRequest<V>, traceId?: string) =>
    (await requestWithRetry(bus, clock, { who: 'directory', subject: subjects.ask(verb), body, traceId })) as AskResults[V],
})

/** Client of the keepers. A request goes to the keeper that holds the subject's partition at that moment. */
export interface KeeperClient {
  /** Sends a command. Retries with the same id execute the command only once. Throws the keeper's AppError, or `unavailable` after 4 s. */
  send<C extends Command>(subjectId: string, command: C, traceId?: string): Promise<CommandResults[C['kind']]>
}

export const createKeeperClient = (bus: Bus, clock: Clock): KeeperClient => ({
  send: async <C extends Command>(subjectId: string, body: C, traceId?: string) => {
    const asked = { who: 'keeper', subject: subjects.command(subjectId), body, traceId }
    return (await requestWithRetry(bus, clock, asked)) as CommandResults[C['kind']]
  },
})

/** Client of the keepers for previews: any keeper can run any preview. */
export interface PreviewClient {
  /**
   * Runs a preview. Throws the keeper's AppError, or `unavailable` after `limits.preview.answerMs`. A preview stores nothing and may be
   * repeated.
   */
  preview(request: Preview, traceId?: string): Promise<PreviewRule[]>
}

export const createPreviewClient = (bus: Bus, clock: Clock): PreviewClient => ({
  preview: async (body, traceId) => {
    const asked = { who: 'keeper', subject: subjects.preview, body, traceId, onceMs: limits.preview.answerMs }
    return (await requestWithRetry(bus, clock, asked)) as PreviewRule[]
  },
})

export interface NotifierClient {
  /**
   * Sends one test message through one notifier and returns the outcome. A refusal by the destination is an outcome, not an error. Throws
   * `not_found`. Throws `unavailable` if no response arrives within 3.6 s; the message may have been sent. Never sends two messages.
   */
  sendTest(message: TestMessage, traceId?: string): Promise<TestMessageResult>
}

export const createNotifierClient = (bus: Bus, clock: Clock): NotifierClient => ({
  sendTest: async (body, traceId) => {
    const asked = { who: 'notifier', subject: subjects.testMessage, body, traceId, onceMs: limits.notifier.testAnswerMs }
    return (await requestWithRetry(bus, clock, asked)) as TestMessageResult
  },
})

/** Client of the probers. */
export interface ProberClient {
  /**
   * Makes a check once at a location. Returns a sentence in `unanswered` if no prober makes it there, with `isNobody` if none serves such
   * tries. Never throws.
   */
  try(locationId: string, entry: CheckEntry, traceId?: string): Promise<TriedCheck>
}

export const createProberClient = (bus: Bus): ProberClient => ({
  try: async (locationId, entry, traceId) => {
    try {
      const options = { timeoutMs: limits.tries.answerMs, ...(traceId && { traceId }) }
      const tried = resultOf(await bus.request(subjects.tryCheck(locationId, kindWord(entry)), entry, options), 'prober')
      return triedCheck.Check(tried) ? tried : { unanswered: 'the prober there is of another version' }
    } catch (error) {
      if (error instanceof BusError && error.kind === 'no_responders')
        return { unanswered: 'no prober there can try it: none runs, or it is on another machine', isNobody: true }
      return { unanswered: 'the prober there does not answer' }
    }
  },
})
const triedCheck = Compile(TriedCheck)

const made = Compile(BackupMade)

const raised = Compile(LevelRaised)

/**
 * Requests the raise of the level. Throws an AppError: `not_found` if no process serves it (a single process raises its level at its start),
 * `unavailable` if no response arrives: the level may have been raised.
 */
export async function askToFinishUpgrade(bus: Bus): Promise<LevelRaised> {
  const reply = await bus.request(subjects.finishUpgrade, {}, { timeoutMs: limits.backup.takesMs }).catch((error: unknown) => {
    if (!(error instanceof BusError)) throw error
    if (error.kind === 'no_responders') throw new AppError('not_found', 'No process can raise the level', { cause: error })
    throw new AppError('unavailable', 'The raise of the level got no response', { details: error.message, cause: error })
  })
  const result = resultOf(reply, 'directory')
  if (!raised.Check(result)) throw new AppError('internal', 'The response to the raise of the level is none')
  return result
}

/**
 * Requests a backup from the process with the embedded store, in one attempt, because each attempt creates a file. Throws an AppError:
 * `not_found` if no process has an embedded store, `busy` if another backup is being made, `unavailable` if no response arrives.
 */
export async function askForBackup(bus: Bus): Promise<BackupMade> {
  const reply = await bus.request(subjects.backup, {}, { timeoutMs: limits.backup.takesMs }).catch((error: unknown) => {
    if (!(error instanceof BusError)) throw error
    if (error.kind === 'no_responders') throw new AppError('not_found', 'There is no embedded store', { cause: error })
    throw new AppError('unavailable', 'The backup got no response', { details: error.message, cause: error })
  })
  const result = resultOf(reply, 'process with the store')
  if (!made.Check(result)) throw new AppError('internal', 'The response to the backup is not a backup')
  return result
}
