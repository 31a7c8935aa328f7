// The Templates of the workspace for a page. They are read once, and again after events about Templates.
import { useEffect } from 'preact/hooks'
import type { Loaded } from '../data/loaded.ts'
import { type IsWanted, onGatheredNews } from '../data/stream.ts'
import { useLoaded } from '../parts/loaded.tsx'
import { readTemplates, type TemplatesRead } from './template.ts'

/** Time in which events are collected, ms. All events of this time cause only one read of the Templates. */
const gatherMs = 400

/** Returns the Templates. Reads them again when a revision is published, or when the number of Resources of a revision changes. */
export function useTemplates(): Loaded<TemplatesRead> {
  const loaded = useLoaded(readTemplates)
  useEffect(() => onGatheredNews(gatherMs, isWanted, () => void loaded.reload()), [loaded])
  return loaded
}

/** Also reads again at `opened`, because a revision may have been published before the stream was opened. */
const isWanted: IsWanted = name => name === 'template' || name === 'reset' || name === 'opened'
