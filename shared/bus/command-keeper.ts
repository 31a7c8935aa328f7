// The client of the keepers: a command to whichever keeper holds the subject's partition at the moment.
import { requestPatiently } from '#shared/bus/patient-request.ts'
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { Clock } from '#shared/clock.ts'
import type { Command, CommandResults } from '#shared/contracts/command.ts'

export interface KeeperClient {
  /** Internal retries repeat the command's id, so it is carried out once. Throws the keeper's AppError, or `unavailable` after 4 s. */
  send<C extends Command>(subjectId: string, command: C, traceId?: string): Promise<CommandResults[C['kind']]>
}

export function createKeeperClient(bus: Bus, clock: Clock): KeeperClient {
  return {
    send: async <C extends Command>(subjectId: string, command: C, traceId?: string) =>
      (await requestPatiently(bus, clock, {
        who: 'keeper',
        subject: subjects.command(subjectId),
        body: command,
        traceId,
      })) as CommandResults[C['kind']],
  }
}
