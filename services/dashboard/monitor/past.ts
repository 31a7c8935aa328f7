// The past of a monitor, loaded together when the first part of it comes into view.
export { History } from './incidents/history.tsx'
export { Log } from './log/log.tsx'
export { Messages } from './messages/messages.tsx'
