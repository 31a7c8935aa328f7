// What ends that the checks of a row watch, such as a certificate. Loaded with the first row that has such a check.
import { serverNow } from '../data/clock.ts'
import { type Ending, endWords } from '../words/ends.ts'

export const EndNote = ({ ends }: { ends: Ending }) => <span class="kind">{endWords(ends, serverNow())}</span>
