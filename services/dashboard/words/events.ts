// Words for the events of the state machines. The names of events are for developers and stand behind Details.

const words: Readonly<Record<string, string>> = {
  'problem.judged': 'problem',
  'no_data.judged': 'no data',
  'ok.judged': 'ok again',
  'hold.elapsed': 'it lasted',
  'flapping.counted': 'flaps',
  'recovery.elapsed': 'stayed ok',
  'unknown.judged': 'cannot decide',
  'known.judged': 'can decide',
  'reminder.due': 'reminder due',
  'reminder.missed': 'reminder late',
  'incident.acknowledged': 'acknowledged',
  'policy.replaced': 'rule changed',
  'rule.removed': 'rule removed',
  'subject.archived': 'archived',
  'window.started': 'started',
  'window.cancelled': 'ended early',
  'end.moved': 'end moved',
  'end.reached': 'end reached',
}

/** Returns at most as many characters as the name of the event has, because a drawing has room for the name. */
export const eventWords = (event: string): string => words[event] ?? event
