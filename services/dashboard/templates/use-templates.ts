// The Templates of the workspace for a page: read once, and again after each event about Templates.
import { useEffect } from 'preact/hooks'
import type { Loaded } from '../data/loaded.ts'
import { type IsWanted, onGatheredNews } from '../data/stream.ts'
import { useLoaded } from '../parts/loaded.tsx'
import { readTemplates, type TemplatesRead } from './template.ts'

/** Time in which news are gathered, ms: Templates are read once for each group of news. */
const gatherMs = 400

/** Reads again when a revision is published, or gains or loses a Resource. */
export function useTemplates(): Loaded<TemplatesRead> {
  const loaded = useLoaded(readTemplates)
  useEffect(() => onGatheredNews(gatherMs, isWanted, () => void loaded.reload()), [loaded])
  return loaded
}

/** `opened`: a revision may have been published before the stream was opened. */
const isWanted: IsWanted = name => name === 'template' || name === 'reset' || name === 'opened'
