// The exit codes as `--help` prints them.
import { exitCodeMeanings } from '../../runtime/start-error.ts'

export const exitHelp = [
  '',
  'Exit codes:',
  ...Object.entries(exitCodeMeanings).map(([code, meaning]) => `  ${code}  ${meaning}`),
].join('\n')
