// The id of a command: made once per HTTP request, so that the tries of one request are one command to its keeper.
import { randomId } from '#shared/ids.ts'

const commandIdLength = 20

export const commandId = (): string => randomId(commandIdLength)
