// Id of a command, created once per HTTP request. If the request's command is sent again, the keeper recognises the id and executes the
// command only once.
import { randomId } from '#shared/text/ids.ts'

const commandIdLength = 20

export const commandId = (): string => randomId(commandIdLength)
