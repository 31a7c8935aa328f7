// One Template for a page. It is read anew if the page changes to another Template.
import { useEffect, useMemo } from 'preact/hooks'
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import { askV3 } from '../data/api.ts'
import { createLoaded, type Loaded } from '../data/loaded.ts'
import { inWorkspace } from './template.ts'

/** `reference`: a key, or `key@version`. */
export function useTemplate(reference: string): Loaded<SentTemplate> {
  const loaded = useMemo(
    () => createLoaded(() => askV3<SentTemplate>('GET', inWorkspace(`/templates/${encodeURIComponent(reference)}`))),
    [reference],
  )
  useEffect(() => void loaded.reload(), [loaded])
  return loaded
}
