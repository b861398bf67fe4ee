import { restoreChains } from './universe-of-tests';

afterAll(restoreChains);
