import fc from 'fast-check';
import { TEST_SEED } from './seed';

fc.configureGlobal({ seed: TEST_SEED });
