// `./watchkeeper secrets rotate`: seals the secrets of checks anew with the first of several keys. The running installation does it; this
// command needs no key. It may be interrupted and repeated.
import type { Command } from 'commander'
import type { Resealed, Unsealed } from '#shared/contracts/ask/ask-secrets.ts'
import { exitCodes, StartError } from '../../runtime/start-error.ts'
import { addNoun, type JsonOption } from '../noun.ts'
import { printJson, say, warn } from '../terminal/printing.ts'
import { startProgress } from '../terminal/progress.ts'
import { type Ask, withInstallation } from './running-installation.ts'

/** A gateway that was restarted late may seal with the old key meanwhile: the command goes on until a pass finds nothing. */
const passesMost = 5

export function addSecretsCommands(program: Command): void {
  const verb = addNoun(program, 'secrets', 'the key with which secrets of checks are sealed')
  verb('rotate', 'seal every secret anew with the first key of SECRETS_KEY, so that the others may go').action(rotate)
}

interface Rotation extends Pick<Resealed, 'keyId' | 'resealed' | 'failed' | 'lost'> {
  /** Whether nothing is sealed any longer with another key that is known. */
  isDone: boolean
}

async function rotate({ json }: JsonOption): Promise<void> {
  const { keyId, resealed, failed, lost, isDone } = await withInstallation(rotateAll)
  if (json) printJson({ key: keyId, resealed, failed: failed.map(shown), lost: lost.map(shown), old_keys_may_go: isDone })
  else {
    for (const { id, name, why } of [...failed, ...lost]) warn(`${name} (${id}): ${why}.`)
    say(`${resealed === 1 ? '1 secret is' : `${resealed} secrets are`} sealed anew, with the key ${keyId}.`)
    if (isDone) say('The old keys may go: take them out of SECRETS_KEY or the file secrets.key, and restart every process.')
  }
  if (!isDone)
    throw new StartError('Not every secret is sealed anew: keep the old keys, and run this command again.', exitCodes.refused)
}

const shown = ({ id, name, workspaceId, why }: Unsealed) => ({ id, name, workspace: workspaceId, why })

async function rotateAll(ask: Ask): Promise<Rotation> {
  const progress = startProgress('secrets are sealed anew …')
  let resealed = 0
  try {
    for (let i = 0; i < passesMost; i++) {
      const pass = await onePass(ask, (seen, n) =>
        progress.say(`${seen} monitors looked at, ${resealed + n} secrets sealed anew …`),
      )
      resealed += pass.resealed
      const isDone = pass.resealed === 0 && pass.failed.length === 0
      if (isDone) await ask('settle-sealing-key', { keyId: pass.keyId })
      if (isDone || pass.failed.length > 0 || i === passesMost - 1) return { ...pass, resealed, isDone }
    }
    throw new Error('Invariant broken: a last pass does not return')
  } finally {
    progress.end()
  }
}

async function onePass(ask: Ask, onProgress: (seen: number, resealed: number) => void): Promise<Resealed> {
  let sum = await ask('reseal-secrets', { after: null })
  for (;;) {
    onProgress(sum.seen, sum.resealed)
    if (sum.next === null) return sum
    const page: Resealed = await ask('reseal-secrets', { after: sum.next })
    if (sum.keyId !== page.keyId)
      throw new StartError(
        'The directories have different first keys: give all processes the same SECRETS_KEY, and restart them.',
      )
    sum = {
      ...page,
      seen: sum.seen + page.seen,
      resealed: sum.resealed + page.resealed,
      failed: [...sum.failed, ...page.failed],
      lost: [...sum.lost, ...page.lost],
    }
  }
}
