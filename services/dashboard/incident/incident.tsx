// Page of one incident: its machine at present or at a moment of the past, the evidence of this moment, and the next steps.
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { now, schedule } from '../data/clock.ts'
import { duration, sentence } from '../data/format.ts'
import { address } from '../data/router.ts'
import { pathTo } from '../data/routing.ts'
import { pageTitle } from '../data/title.ts'
import { fittingLayout } from '../drawing/layouts.ts'
import type { Life } from '../drawing/life.ts'
import { Stage } from '../drawing/stage.tsx'
import { Button } from '../parts/button.tsx'
import { Copy } from '../parts/copy.tsx'
import { useKeys } from '../parts/keys/keys.ts'
import { lazy } from '../parts/lazy.tsx'
import { addPageStyle } from '../parts/page-style.ts'
import { Failed, Loading } from '../parts/states.tsx'
import { StatusMark } from '../parts/status-mark.tsx'
import { Time } from '../parts/time.tsx'
import { plainWords } from '../words/silence.ts'
import { stateOf } from '../words/statuses.ts'
import { Elsewhere } from './elsewhere.tsx'
import { Evidence } from './evidence.tsx'
import style from './incident.page.css'
import { createIncidentPage, type IncidentPage } from './page-state.ts'
import type { Incident as IncidentObject } from './read.ts'
import { Slider } from './slider.tsx'
import { Timeline } from './timeline.tsx'
import { Told } from './told.tsx'
import { WhatNext } from './what-next.tsx'

addPageStyle(style)

const Answers = lazy(() => import('./answers.tsx').then(it => it.Answers))
const AcknowledgeDialog = lazy(() => import('../monitors/dialogs.ts').then(it => it.AcknowledgeDialog))

function Incident({ params }: { params: Readonly<Record<string, string>> }) {
  const page = useMemo(() => createIncidentPage(params['id'] ?? '', schedule), [])
  useEffect(() => {
    void page.reload()
    return page.start()
  }, [])
  const { records, incident } = page
  const known = incident.value.value
  const rule = records.latest.value?.rule_name ?? ''
  pageTitle.value = known === null ? 'Incident' : `${known.resource.name}: ${rule}`
  const failure = records.failure.value ?? incident.failure.value
  if (known === null || page.moment.value === null || page.life.value === null)
    return failure === null ? <Loading /> : <Failed page="incident" error={failure} onRetry={() => void page.reload()} />
  return <Shown page={page} incident={known} life={page.life.value} />
}

function Shown({ page, incident, life }: { page: IncidentPage; incident: IncidentObject; life: Life }) {
  const layout = useMemo(() => fittingLayout('incident'), [])
  const states = page.records.all.value.slice(0, (page.moment.value?.index ?? 0) + 1).map(({ state }) => stateOf(state).word)
  const label = `State machine of the incident, in ${states.at(-1)}. ${life.due?.text ?? ''} Path: ${brief(states)}.`
  return (
    <>
      <Head page={page} incident={incident} />
      <section aria-labelledby="machine">
        <h2 id="machine" class="hidden">
          State machine
        </h2>
        <Stage layout={layout.value} life={life} label={label} />
        <Slider page={page} />
      </section>
      <div class="columns">
        <div>
          <WhatNext page={page} />
          <Evidence page={page} />
        </div>
        <div>
          <Timeline page={page} />
          <Told page={page} />
        </div>
      </div>
      <Answers page={page} />
      <Details page={page} />
    </>
  )
}

/** Names that only developers need: the event of the shown record, and the state machine for other tools. */
function Details({ page }: { page: IncidentPage }) {
  const record = page.moment.value?.record
  return (
    <details class="details">
      <summary>Details</summary>
      {record !== undefined && (
        <p>
          Record {record.sequence}: event <code>{record.event}</code>, state <code>{record.state}</code>, kind{' '}
          <code>{record.kind}</code>.
        </p>
      )}
      <Elsewhere page={page} />
    </details>
  )
}

/** Returns at most the last 12 words. If words are omitted, the result begins with the number of omitted words. */
function brief(words: readonly string[]): string {
  const most = 12
  return words.length <= most ? words.join(', ') : `${words.length - most} earlier, ${words.slice(-most).join(', ')}`
}

function Head({ page, incident }: { page: IncidentPage; incident: IncidentObject }) {
  const isAsking = useSignal(false)
  const { resource, lifecycle, acknowledgement } = incident
  const rule = page.records.latest.value?.rule_name ?? ''
  const mayTake = lifecycle === 'open' && acknowledgement === null
  const ask = () => {
    const present = page.incident.value.peek()
    isAsking.value = present?.lifecycle === 'open' && present.acknowledgement === null
  }
  const last = page.records.all.value.at(-1)
  useKeys([
    { key: 'a', words: 'Acknowledge the incident', run: ask },
    { key: 'r', words: 'Replay from the beginning, or pause', run: page.play },
    { key: 'l', words: 'Back to the present', run: () => page.show(null) },
  ])
  return (
    <>
      <p class="crumbs">
        <a href="/">Monitoring</a> / <a href={pathTo('monitor', { id: resource.id })}>{resource.name}</a>
      </p>
      <div class="head">
        <h1>
          <bdi>{resource.name}</bdi>: {rule} {last !== undefined && <StatusMark state={last.state} />}
        </h1>
        <div class="acts">
          {mayTake && (
            <Button look="main" shortcut="a" title="Its reminders stop" onClick={ask}>
              Acknowledge
            </Button>
          )}
          <Copy text={`${location.origin}${address.value}`} noun="Link" />
        </div>
      </div>
      <Cause page={page} />
      <Summary incident={incident} />
      {isAsking.value && (
        <AcknowledgeDialog
          incidents={[{ id: page.id, name: `${resource.name}: ${rule}` }]}
          onClose={() => {
            isAsking.value = false
            void page.reload()
          }}
        />
      )}
    </>
  )
}

/** What is wrong, or was wrong before the close: the first words of the page. */
function Cause({ page }: { page: IncidentPage }) {
  const cause = page.records.latest.value?.cause ?? null
  return cause === null ? null : <p class="cause">{sentence(plainWords(cause, now.value))}</p>
}

const reasons = {
  recovered: 'it recovered',
  rule_removed: 'its rule was removed',
  resource_archived: 'the monitor was archived',
} as const

function Summary({ incident }: { incident: IncidentObject }) {
  const { opened_at, closed_at, closed_reason, acknowledgement, action } = incident
  const opened = Date.parse(opened_at)
  const ended = closed_at === null ? null : Date.parse(closed_at)
  return (
    <>
      <p>
        {ended === null ? 'Open for ' : 'Lasted '}
        {duration((ended ?? now.value) - opened)}
        {ended === null ? ', since ' : ': from '}
        <Time at={opened} isLong />
        {ended !== null && ' to '}
        {ended !== null && <Time at={ended} isLong />}
        {closed_reason === null ? '.' : `, when ${reasons[closed_reason]}.`}{' '}
        {acknowledgement !== null && (
          <>
            Acknowledged by {acknowledgement.by}, <Time at={Date.parse(acknowledgement.at)} isLong />.
          </>
        )}
      </p>
      {action !== null && <p class="action">{action}</p>}
    </>
  )
}

export { Incident as incident }
