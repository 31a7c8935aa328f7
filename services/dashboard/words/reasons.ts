// Words for the reasons why a message was not delivered or was held back.

const reasons: Readonly<Record<string, string>> = {
  unreachable: 'the receiver could not be reached',
  not_sent: 'it was not sent',
  maintenance: 'in maintenance',
  no_destination: 'there is no destination for it',
  destination_disabled: 'the destination is disabled',
  resource_gone: 'the monitor is gone',
  not_announced: 'the opening was not announced',
  not_routed: 'no route wants it',
  not_opted_in: 'the destination hears of no openings',
  confirmed_first: 'the incident was confirmed first',
  ended_first: 'the incident ended first',
  acknowledged_first: 'the incident was taken first',
  superseded: 'a later message took its place',
  not_due: 'its first message was not due yet',
  digest: 'it came together with others',
}

/** Returns the words for a reason. Returns an unknown reason unchanged. */
export function reasonWords(reason: string): string {
  const status = /^(?:http|smtp)_(\d+)$/.exec(reason)?.[1]
  return status === undefined ? (reasons[reason] ?? reason) : `the receiver answered ${status}`
}
