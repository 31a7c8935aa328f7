// The client of the keepers: sends a command to the keeper that holds the subject's partition at that moment.
import { requestWithRetry } from '#shared/bus/clients/request-with-retry.ts'
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { Command, CommandResults } from '#shared/contracts/subjects/command.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface KeeperClient {
  /** Sends a command, which retries by its id execute once. Throws the keeper's AppError, or `unavailable` after 4 s. */
  send<C extends Command>(subjectId: string, command: C, traceId?: string): Promise<CommandResults[C['kind']]>
}

export function createKeeperClient(bus: Bus, clock: Clock): KeeperClient {
  return {
    send: async <C extends Command>(subjectId: string, command: C, traceId?: string) =>
      (await requestWithRetry(bus, clock, {
        who: 'keeper',
        subject: subjects.command(subjectId),
        body: command,
        traceId,
      })) as CommandResults[C['kind']],
  }
}
