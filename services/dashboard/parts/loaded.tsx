// The content that a page has read, or the reason why there is no content yet.
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { createLoaded, type Loaded } from '../data/loaded.ts'
import { Failed, Loading } from './states.tsx'

/** Returns data that are read when the component is first drawn, and read again by `reload()`. */
export function useLoaded<T>(load: () => Promise<T>): Loaded<T> {
  const loaded = useMemo(() => createLoaded(load), [])
  useEffect(() => void loaded.reload(), [loaded])
  return loaded
}

/** Shows the data of `of`. After a failed read, shows the failure instead of older data. */
export function Shown<T>({ of, children }: { of: Loaded<T>; children(value: T): ComponentChildren }) {
  if (of.failure.value !== null) return <Failed error={of.failure.value} onRetry={() => void of.reload()} />
  if (of.value.value === null) return <Loading />
  return <>{children(of.value.value)}</>
}
