// `node:http` without its lazy getters. A named import would run every getter, and the getter `WebSocket` would load Node's whole fetch,
// which is not used here.
export const http: typeof import('node:http') = process.getBuiltinModule('node:http')
