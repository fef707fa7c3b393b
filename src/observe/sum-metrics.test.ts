import { expect, test } from 'bun:test';
import { countersIn, sumMetrics } from './sum-metrics.ts';

const text = (requests: number, state: number, extra = ''): string => `# HELP weir_requests_total Model requests.
# TYPE weir_requests_total counter
weir_requests_total{model="a b",code=""} ${requests}
${extra}# HELP weir_target_state State.
# TYPE weir_target_state gauge
weir_target_state{provider="p"} ${state}
# HELP process_resident_memory_bytes Resident memory.
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 100
`;

test('amounts are added, of states the worst is shown, and each family appears once', () => {
  const sum = sumMetrics([text(2, 4), text(3, 0, 'weir_requests_total{model="c",code=""} 1\n')]);
  expect(sum).toBe(`# HELP weir_requests_total Model requests.
# TYPE weir_requests_total counter
weir_requests_total{model="a b",code=""} 5
weir_requests_total{model="c",code=""} 1
# HELP weir_target_state State.
# TYPE weir_target_state gauge
weir_target_state{provider="p"} 4
# HELP process_resident_memory_bytes Resident memory.
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 200
`);
});

test('what the summing process uses itself is added, where the workers report the same', () => {
  const own = new Map([
    ['process_resident_memory_bytes', 50],
    ['unknown_total', 7],
  ]);
  const sum = sumMetrics([text(1, 0), ''], own);
  expect(sum).toContain('\nprocess_resident_memory_bytes 150\n');
  expect(sum).not.toContain('unknown_total');
});

test('one text stays as it is', () => {
  expect(sumMetrics([text(1, -2)])).toBe(text(1, -2));
});

test('of a process that has ended only counters stay', () => {
  expect(countersIn(text(2, 4))).toBe(`# HELP weir_requests_total Model requests.
# TYPE weir_requests_total counter
weir_requests_total{model="a b",code=""} 2
`);
  expect(countersIn('')).toBe('');
  expect(sumMetrics([text(3, 0), countersIn(text(2, 4))])).toBe(text(5, 0));
});

test('a dependency that one of them lacks is not up, and the youngest start and one version are shown', () => {
  const of = (up: number, start: number): string => `# HELP weir_database_up Whether the database answers.
# TYPE weir_database_up gauge
weir_database_up ${up}
# HELP weir_build_info Version.
# TYPE weir_build_info gauge
weir_build_info{version="1"} 1
# HELP process_start_time_seconds Start.
# TYPE process_start_time_seconds gauge
process_start_time_seconds ${start}
`;
  expect(sumMetrics([of(1, 5), of(0, 7), of(1, 6)])).toBe(of(0, 7));
});
