// Preloaded into the program by a test (`--import`): MONGODB_URL then names a shared store (`serve.ts`). Replaces the two modules through
// which the program reaches MongoDB, so the program itself has no way to such a store.
import { registerHooks } from 'node:module'

const replaced = ['mongodb.ts', 'mongodb-migrate.ts'].map(name => `/shared/store/mongodb/${name}`)
const replacement = new URL('./mongodb-modules.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context)
    return replaced.some(path => found.url.endsWith(path)) ? { ...found, url: replacement, shortCircuit: true } : found
  },
})
