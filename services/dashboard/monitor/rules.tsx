// The rules of a monitor. Every rule has a sentence about its last judgement.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { may } from '../data/session.ts'
import { ButtonLink } from '../parts/button.tsx'
import { StatusMark } from '../parts/status-mark.tsx'
import { Table } from '../parts/table/table.tsx'
import { Since } from '../parts/time.tsx'
import { ruleWords } from '../words/why.ts'
import { knownOf } from './known.ts'

type Rule = MonitorDetail['rules'][number]

export function Rules({ detail }: { detail: MonitorDetail }) {
  const isCustom = detail.kind === 'custom'
  const known = knownOf(detail)
  const at = `/monitors/${detail.row?.id}/signals`
  const isAuthored = ({ key }: Rule) => isCustom && key !== 'availability'
  return (
    <section>
      <h2>Rules</h2>
      <Table<Rule>
        label="Rules"
        rows={detail.rules}
        keyOf={({ key }) => key}
        empty="No rule judges this monitor."
        columns={[
          { head: 'Rule', cell: rule => (isAuthored(rule) ? <a href={`${at}#rule-${rule.key}`}>{rule.name}</a> : rule.name) },
          {
            head: 'Says',
            cell: ({ verdict }) => <StatusMark state={verdict === null || verdict === 'not_judged' ? 'unknown' : verdict} />,
          },
          { head: 'Why', cell: rule => ruleWords(rule, known) ?? 'Waiting for its first report.' },
          { head: 'For', isNumber: true, cell: ({ since }) => (since === null ? '–' : <Since at={Date.parse(since)} />) },
        ]}
      />
      {isCustom && detail.row !== null && (
        <p class="acts">
          {may('editor') && <ButtonLink href={`${at}#new-rule`}>Add rule</ButtonLink>}
          <a href={at}>Signals and rules</a>
        </p>
      )}
    </section>
  )
}
