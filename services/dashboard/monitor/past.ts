// The sections about a monitor's past. All are loaded together, when the first one comes into view.
export { History } from './incidents/history.tsx'
export { Log } from './log/log.tsx'
export { Messages } from './messages/messages.tsx'
