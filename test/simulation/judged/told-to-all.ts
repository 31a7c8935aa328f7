// Messages that every destination can get. Acknowledgements and withdrawals go where alerts stay open (v3 10.16), and the oracles of
// generations 1 and 2 know no such destination: test/notifier/pagers.test.ts and test/machines/incident.test.ts check them.
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'

export const isToldToAll = ({ kind }: Pick<AlertDocument, 'kind'>): boolean => kind !== 'acknowledged' && kind !== 'withdrawn'
