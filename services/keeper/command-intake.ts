// Commands as they come in from the bus: checked against their contract and put into the partition's queue, or answered at once.
import { Compile } from 'typebox/compile'
import type { Incoming } from '#shared/bus/port.ts'
import { parseCommand } from '#shared/bus/subjects.ts'
import { Command } from '#shared/contracts/command.ts'
import type { Reply } from '#shared/contracts/reply.ts'
import { limits } from '#shared/limits.ts'
import type { Core } from './core.ts'
import type { Partition } from './partition.ts'
import { refusal } from './step/refusal.ts'

const command = Compile(Command)

/**
 * Queues a command for the partition's next round. Malformed ones, and those above the queue's bound (busy), are answered at
 * once; one that arrives while the partition is closing gets no answer, so that its asker tries the next holder.
 */
export function takeCommand(core: Core, partition: Partition, message: Incoming): void {
  const respond = (reply: Reply) => message.respond(reply)
  const address = parseCommand(message.subject)
  const { body } = message
  if (address === null || address.partition !== partition.number || !command.Check(body)) {
    respond(refusal('malformed', 'Malformed command', 'The command does not have the form that its contract gives.'))
    return
  }
  if (partition.state !== 'live') return
  if (partition.commands.length >= limits.keeper.commandBacklog) {
    respond(refusal('busy', 'Busy', 'Too many commands wait for this partition; try again.'))
    return
  }
  const at = core.clock.now()
  partition.commands.push({ input: { kind: 'command', subjectId: address.subjectId, at, command: body }, sequence: 0, respond })
  core.wake()
}
