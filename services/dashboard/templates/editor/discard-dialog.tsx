// The dialog before a draft is discarded.
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import { go } from '../../data/router.ts'
import { pathTo } from '../../data/routing.ts'
import { announce } from '../../parts/announce.ts'
import { Confirm } from '../../parts/confirm.tsx'

interface DiscardProps {
  before: SentTemplate | null
  onDiscard(): void
  onClose(): void
}

export function DiscardDialog({ before, onDiscard, onClose }: DiscardProps) {
  const discard = async () => {
    onDiscard()
    announce('The draft is discarded.')
    go(before === null ? pathTo('templates') : pathTo('template', { key: before.key }))
  }
  return (
    <Confirm title="Discard the draft?" act="Discard draft" send={discard} onClose={onClose}>
      <p>Everything that was written since the last publication is lost. No published revision changes.</p>
    </Confirm>
  )
}
