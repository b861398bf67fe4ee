import { spawnSync } from 'node:child_process';
import path from 'node:path';

const RUN = path.resolve(__dirname, '../../scripts/run.cjs');

test.each([['--help'], ['--seconds=5']])(
  'a benchmark refuses the argument %s before it builds or measures anything',
  (argument) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [RUN, 'scripts/bench-gateway/main', argument], {
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(`npm run bench:gateway takes no arguments: ${argument}. docs/benchmarks.md`);
  },
);
