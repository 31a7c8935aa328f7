// The exit codes as `--help` prints them.
import { exitCodeMeanings } from '../embedded/start-error.ts'

export const exitHelp = [
  '',
  'Exit codes:',
  ...Object.entries(exitCodeMeanings).map(([code, meaning]) => `  ${code}  ${meaning}`),
].join('\n')
