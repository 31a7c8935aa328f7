// How thorough generated tests are. `npm test` runs fewer cases than `npm run test:all` and `.ci/run`; test/run/shares.ts names these tests.

/** Number of generated cases of this run. A test file that is run alone has all cases. */
export const cases = (quick: number, all: number): number => (process.env['TEST_SHARE'] === 'quick' ? quick : all)
