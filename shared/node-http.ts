// `node:http` as Node's own modules get it. Imported by name, every getter of it would run, and `WebSocket` would load Node's whole
// fetch, which nobody here needs.
export const http: typeof import('node:http') = process.getBuiltinModule('node:http')
