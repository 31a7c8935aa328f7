// Buttons for the range that the charts of a monitor show. The page's address stores the range.
import type { ComponentChildren } from 'preact'
import { query, setQuery } from '../../data/router.ts'
import { Tabs } from '../../parts/table/tabs.tsx'

const ranges = [
  { id: '24h', word: '24 hours' },
  { id: '7d', word: '7 days' },
  { id: '30d', word: '30 days' },
  { id: '400d', word: '400 days' },
]

export const rangeOfAddress = () => ranges.find(({ id }) => id === query.value.get('range'))?.id ?? '24h'

export function Ranges({ children }: { children: ComponentChildren }) {
  return (
    <Tabs
      label="Range"
      of={ranges}
      chosen={rangeOfAddress()}
      onChoose={range => setQuery({ range: range === '24h' ? null : range })}
    >
      {children}
    </Tabs>
  )
}
