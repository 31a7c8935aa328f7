// Id of a command, created once per HTTP request. All retries of one request are therefore one command to the keeper.
import { randomId } from '#shared/text/ids.ts'

const commandIdLength = 20

export const commandId = (): string => randomId(commandIdLength)
