// Error that ends a start or a command: a sentence for the person who started it, printed without a stack.

/** Exit codes of the program. A script can decide by the exit code. */
export const exitCodes = { done: 0, failed: 1, usage: 2, notRunning: 3, refused: 4, notFound: 5 } as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Meanings of the exit codes, as `--help` and docs/commands.md show them. */
export const exitCodeMeanings: Record<ExitCode, string> = {
  0: 'done; after a signal: everything ended cleanly',
  1: 'it could not start, or could not go on',
  2: 'a wrong command, option or setting, or a name that fits several things',
  3: 'the running installation cannot be reached, or does not answer in time: look before you repeat what creates',
  4: 'refused by the installation, or by a check: the sentence says why, and whether --force would help',
  5: 'there is no such thing',
}

export class StartError extends Error {
  readonly exitCode: ExitCode

  constructor(sentence: string, exitCode: ExitCode = exitCodes.failed) {
    super(sentence)
    this.name = 'StartError'
    this.exitCode = exitCode
  }
}

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
