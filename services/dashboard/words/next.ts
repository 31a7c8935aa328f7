// Words for the next transition by time alone, shown before its countdown.

/** Words for `confirm`, `close` and `remind`, which are the API's names of these transitions. */
export const nextWords: Readonly<Record<string, string>> = {
  confirm: 'confirmed in',
  close: 'closes in',
  remind: 'reminder in',
}
