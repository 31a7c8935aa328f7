// A chart of a monitor in the range that the page's address names. The figures are read again when a person chooses another range.
import { useSignalEffect } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { Chart } from '../../charts/chart.tsx'
import { askV3 } from '../../data/api.ts'
import { createLoaded } from '../../data/loaded.ts'
import { Shown } from '../../parts/loaded.tsx'
import { bandsOf, type Frame, type Lines, type PointsOf, pointsOf } from './lines.ts'
import { Ranges, rangeOfAddress } from './ranges.tsx'

interface OverTimeProps<F extends Frame> {
  /** Path of the figures below `/api/v3`; the component appends `range=`. The path must not change while the chart is shown. */
  path: string
  linesOf(frame: F, pointsOf: PointsOf): Lines
}

export function OverTime<F extends Frame>({ path, linesOf }: OverTimeProps<F>) {
  const chart = useMemo(() => createLoaded(() => askV3<F>('GET', `${path}range=${rangeOfAddress()}`)), [path])
  useSignalEffect(() => {
    rangeOfAddress()
    void chart.reload()
  })
  return (
    <Ranges>
      <Shown of={chart}>{frame => <Drawn frame={frame} lines={linesOf(frame, pointsOf(frame))} />}</Shown>
    </Ranges>
  )
}

function Drawn({ frame, lines: { note, ...lines } }: { frame: Frame; lines: Lines }) {
  return (
    <>
      <Chart
        {...lines}
        bands={bandsOf(frame)}
        from={Date.parse(frame.from)}
        to={Date.parse(frame.to)}
        stepMs={frame.step_seconds * 1_000}
      />
      {note && <p class="dim">{note}</p>}
    </>
  )
}
