// Error that ends a start or a command: a sentence for the person who started it, printed without a stack.

/** Exit codes of the program. A script can decide by the exit code. */
export const exitCodes = { done: 0, failed: 1, usage: 2, notRunning: 3, refused: 4, notFound: 5, differs: 2 } as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Meanings of the exit codes, as `--help` and docs/commands.md show them. */
export const exitCodeMeanings: Record<ExitCode, string> = {
  0: 'done; after a signal: everything ended cleanly',
  1: 'it could not start, or could not go on; of `doctor`: there is a fault',
  2: 'a wrong command, option or setting, or a name that fits several things; of `apply --dry-run`: the workspace differs from the files',
  3: 'the running installation cannot be reached, or does not answer in time: look before you repeat what creates',
  4: 'refused by the installation, or by a check: the sentence says why, and whether --force would help',
  5: 'there is no such thing',
}

/** The error object of generation 3 of the API (v3 1.1). A command with `--json` prints it. */
export interface PrintedRefusal {
  code: number
  error_type: string
  message: string
  details: Record<string, unknown>
}

export class StartError extends Error {
  readonly exitCode: ExitCode
  /** Refusal for scripts; null: the API has refused nothing. */
  readonly refusal: PrintedRefusal | null

  constructor(sentence: string, exitCode: ExitCode = exitCodes.failed, refusal: PrintedRefusal | null = null) {
    super(sentence)
    this.name = 'StartError'
    this.exitCode = exitCode
    this.refusal = refusal
  }
}

/** Error for a name that fits nothing. Its refusal is that of the API for an unknown id. */
export const notFoundError = (sentence: string): StartError =>
  new StartError(sentence, exitCodes.notFound, { code: 1404, error_type: 'not_found', message: sentence, details: {} })

/** Error that the person can correct by another command, option or setting. */
export const usageError = (sentence: string): StartError => new StartError(sentence, exitCodes.usage)

/** Runs one step of the start. The message of an error becomes the sentence of a StartError. */
export async function startStep<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError((error as Error).message)
  }
}
