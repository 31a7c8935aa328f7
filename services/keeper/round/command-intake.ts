// Intake of commands from the bus: checks each command against its contract, then queues the command in the partition's inbox or refuses it
// at once.
import { Compile } from 'typebox/schema'
import type { Incoming } from '#shared/bus/port.ts'
import { parseCommand } from '#shared/bus/subjects.ts'
import { isKnownCheck } from '#shared/checks/check-answers.ts'
import type { Reply } from '#shared/contracts/ask/reply.ts'
import { Command } from '#shared/contracts/subjects/command.ts'
import { limits } from '#shared/limits/limits.ts'
import type { KeeperContext } from '../context.ts'
import type { Partition } from '../partition/partition.ts'
import { refusal } from '../step/commands/refusal.ts'

const contract = Compile(Command)

/** Whether the message has the form of its contract. The kind of a check knows which answers it has. */
const isCommand = (body: unknown): body is Command => contract.Check(body) && (!('check' in body) || isKnownCheck(body.check))

/**
 * Queues a command for the partition's next round. Malformed commands, and commands beyond the queue's bound (`busy`), are refused at once.
 * A command to a closing partition gets no reply, so that its sender tries the next holder.
 */
export function takeCommand(context: KeeperContext, partition: Partition, message: Incoming): void {
  const respond = (reply: Reply) => message.respond(reply)
  const address = parseCommand(message.subject)
  const { body } = message
  if (address === null || address.partition !== partition.number || !isCommand(body)) {
    respond(refusal('malformed', 'Malformed command', 'The command does not have the form that its contract gives.'))
    return
  }
  if (partition.state !== 'live') return
  if (partition.inbox.commands.length >= limits.keeper.commandBacklog) {
    respond(refusal('busy', 'Busy', 'Too many commands wait for this partition; try again.'))
    return
  }
  const at = context.clock.now()
  partition.inbox.commands.push({
    input: { kind: 'command', subjectId: address.subjectId, at, command: body },
    sequence: 0,
    respond,
  })
  context.wake()
}
