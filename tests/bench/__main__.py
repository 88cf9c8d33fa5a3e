"""`make bench`: every figure, one after the other."""

from tests.bench import bench_engine, bench_hints, bench_http, bench_solver, bench_sprints

bench_engine.main()
bench_solver.main()
bench_http.main()
bench_hints.main()
bench_sprints.main()
