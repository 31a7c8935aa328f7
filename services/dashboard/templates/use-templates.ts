// The Templates of the workspace as a page shows them: read once, and again with each of their news.
import { useEffect } from 'preact/hooks'
import type { Loaded } from '../data/loaded.ts'
import { type IsWanted, onGatheredNews } from '../data/stream.ts'
import { useLoaded } from '../parts/loaded.tsx'
import { readTemplates, type TemplatesRead } from './template.ts'

/** Time in which news are gathered, ms: Templates are read once for each group of news. */
const gatherMs = 400

/** Reads again when a revision is published, and when a Resource is bound to one or leaves it. */
export function useTemplates(): Loaded<TemplatesRead> {
  const loaded = useLoaded(readTemplates)
  useEffect(() => onGatheredNews(gatherMs, isWanted, () => void loaded.reload()), [loaded])
  return loaded
}

/** `opened`: a revision may have been published before the stream was opened. */
const isWanted: IsWanted = name => name === 'template' || name === 'reset' || name === 'opened'
