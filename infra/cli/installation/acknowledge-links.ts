// `./watchkeeper acknowledge-links`: the links in messages by which people take incidents on, all of them at once.
import type { Command } from 'commander'
import { addNoun, type JsonOption } from '../noun.ts'
import { printJson, say } from '../terminal/printing.ts'
import { withInstallation } from './running-installation.ts'

export function addAcknowledgeLinkCommands(program: Command): void {
  const verb = addNoun(program, 'acknowledge-links', 'links in messages by which incidents are acknowledged without an account')
  verb('rotate', 'end all links that were sent, such as after a leak; messages from now on have new ones').action(rotate)
}

async function rotate({ json }: JsonOption): Promise<void> {
  await withInstallation(ask => ask('rotate-acknowledge-links', {}))
  if (json) return printJson({ rotated: true })
  say('All acknowledge links have ended. Messages from now on have new ones.')
}
