// Parts about signals that senders report, loaded together: a website has none.
export { ValueHistory } from './figures/value-history.tsx'
export { ReportCommands } from './report-commands.tsx'
