// Why a start ended, as a sentence for the person who started it; it is printed without a stack.

/** Exit codes of the program; `watchkeeper --help` explains them. */
export const exitCodes = { done: 0, failed: 1, usage: 2, notRunning: 3, refused: 4 } as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export class StartError extends Error {
  readonly exitCode: ExitCode

  constructor(sentence: string, exitCode: ExitCode = exitCodes.failed) {
    super(sentence)
    this.name = 'StartError'
    this.exitCode = exitCode
  }
}

/** What whoever called the program has to change: a command, an option or a setting. */
export const usageError = (sentence: string): StartError => new StartError(sentence, exitCodes.usage)

/** Runs one step of the start; what it throws becomes the sentence. */
export async function startStep<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError((error as Error).message)
  }
}
