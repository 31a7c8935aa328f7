// The system Template of jobs that must have run, and what its answers say of a ping. Pure. Reference: docs/reference/v3.md, 17.10 and 17.11.
import { type AnswersOf, checkField } from '#shared/checks/check-field.ts'
import type { CheckTemplate } from '#shared/checks/check-kind.ts'
import { fieldRef } from '#shared/checks/template-parts.ts'
import type { PingAction } from '#shared/contracts/observations/ping.ts'
import { firstRuns, scheduleKind, scheduleSeconds } from '#shared/contracts/resources/schedule.ts'
import { type Answers, maxSeconds } from '#shared/contracts/resources/template.ts'

const seconds = { type: 'duration', min: scheduleSeconds.minimum, max: scheduleSeconds.maximum } as const
const words = {
  type: 'string_list',
  default: [] as string[],
  items: [0, 10],
  characters: 100,
  fits: (text: string) => text !== '',
  must: 'hold 0 to 10 texts of 1 to 100 characters',
} as const

const period = checkField({
  ...seconds,
  key: 'period',
  label: 'Period',
  help: 'From one run to the next. Does not count if there is a cron expression.',
  default: 86_400,
})
const expression = checkField({
  key: 'expression',
  type: 'string',
  label: 'Cron expression',
  help: 'Five fields, as in a crontab. Empty: the period counts.',
  example: '30 2 * * *',
  default: '',
  characters: 100,
})
const zone = checkField({
  key: 'zone',
  type: 'string',
  label: 'Time zone',
  example: 'Europe/Berlin',
  default: 'UTC',
  characters: 100,
})
const grace = checkField({
  ...seconds,
  key: 'grace',
  label: 'Grace',
  help: 'By which a run may be late, and which it may take once it has started.',
  default: 3_600,
})
const first = checkField({
  key: 'first',
  type: 'enum',
  label: 'First run',
  help: 'Whether the first run is expected, or waited for however long.',
  default: 'wait',
  options: [...firstRuns],
  words: { wait: 'wait for it', expect: 'expect it from now on' },
})
const methods = checkField({
  key: 'methods',
  type: 'enum',
  label: 'Pings that count',
  default: 'any',
  options: ['any', 'post'],
  words: { any: 'all', post: 'only POST' },
})
const failWords = checkField({ ...words, key: 'fail_words', label: 'A ping is a failure if its body holds' })
const successWords = checkField({ ...words, key: 'success_words', label: 'A ping is a success if its body holds' })
const startWords = checkField({ ...words, key: 'start_words', label: 'A ping is a start if its body holds' })
const otherwise = checkField({
  key: 'otherwise',
  type: 'enum',
  label: 'A body that holds none of these words',
  default: 'ignore',
  options: ['ignore', 'fail'],
  words: { ignore: 'is ignored', fail: 'is a failure' },
})
const quoteOutput = checkField({
  key: 'quote_output',
  type: 'boolean',
  label: 'Quote the last line of output in messages',
  default: true,
})
const delay = { type: 'duration', default: 0, min: 0, max: maxSeconds } as const
const confirmAfter = checkField({ ...delay, key: 'confirm_after', label: 'Confirmation delay' })
const recoverAfter = checkField({ ...delay, key: 'recover_after', label: 'Recovery delay' })

const fields = [
  ...[period, expression, zone, grace, first, methods, failWords, successWords, startWords, otherwise, quoteOutput],
  ...[confirmAfter, recoverAfter],
] as const

type HeartbeatAnswers = AnswersOf<typeof fields>

/** Key of the Template, of its signal and of its rule. */
export const heartbeatCheck = 'heartbeat-check'
const run = 'run'

export const heartbeatTemplate: CheckTemplate = {
  key: heartbeatCheck,
  version: 1,
  name: 'Heartbeat',
  summary: 'A job, a backup or a script pings an address. A run that does not come, does not end or fails opens an Incident.',
  fields,
  parts: {
    signals: [
      {
        key: run,
        kind: scheduleKind,
        schedule: {
          ...{ period_seconds: fieldRef(period), cron: fieldRef(expression), zone: fieldRef(zone) },
          ...{ grace_seconds: fieldRef(grace), first: fieldRef(first) },
        },
        help: 'The runs of the job.',
      },
    ],
    rules: [
      {
        key: run,
        action: 'Look whether the job still runs, and at its last output.',
        help: 'A run is missed, or the newest one failed.',
        wait: { confirm_after: fieldRef(confirmAfter), recover_after: fieldRef(recoverAfter) },
        decision: {
          any: [
            { signal: run, field: 'missed' },
            { signal: run, field: 'status', operator: 'eq', operand: 'problem' },
          ],
        },
      },
    ],
  },
}

/** Whether `key@version` is a revision of the Template. A workspace may have its own under the key; its answers then have other fields. */
export const isHeartbeatCheck = (template: string | null): boolean => template?.startsWith(`${heartbeatCheck}@`) ?? false

/** What a ping is: what its address says, unless the Resource judges by words of the body, or does not take such pings. */
export function actionOf(
  { action, method, text }: { action: PingAction; method: string; text: string },
  answers: Answers,
): PingAction | 'ignored' {
  const given = answers as Partial<HeartbeatAnswers>
  const { methods: taken, fail_words = [], success_words = [], start_words = [], otherwise: other } = given
  if (taken === 'post' && method !== 'POST') return 'ignored'
  const lists = [
    ['fail', fail_words],
    ['success', success_words],
    ['start', start_words],
  ] as const
  if (lists.every(([, listed]) => listed.length === 0)) return action
  const found = lists.find(([, listed]) => listed.some(word => text.includes(word)))
  return found?.[0] ?? (other === 'fail' ? 'fail' : 'ignored')
}

/** Whether messages may quote what the job wrote. */
export const quotesOutput = (answers: Answers): boolean => answers[quoteOutput.key] !== false
