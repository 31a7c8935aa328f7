// Words for the next step by time, shown before a countdown.

/** `confirm`, `close`, `remind`, as the API names them. */
export const nextWords: Readonly<Record<string, string>> = {
  confirm: 'confirmed in',
  close: 'closes in',
  remind: 'reminder in',
}
