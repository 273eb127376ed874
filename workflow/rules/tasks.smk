# One rule for each task, all of the same form. Parameters, inputs and resources of a run come from config/<study>.yaml.

for task_name, task in TASKS.items():

    rule:
        name:
            task_name
        input:
            unpack(run_inputs),
            modules=run_sources,
        output:
            f"{{folder}}/{{study}}/{task_name}/{{run}}.nc",
        log:
            f"{{folder}}/logs/{{study}}/{task_name}/{{run}}.log",
        benchmark:
            f"{{folder}}/benchmarks/{{study}}/{task_name}/{{run}}.tsv"
        wildcard_constraints:
            folder="|".join(RESULT_FOLDERS),
        priority: run_priority
        group:
            run_group
        threads: of_run("threads")
        resources:
            mem_mb=run_memory,
            runtime=time_limit,
            gpu=gpus,
        params:
            **custom_contents(task),
            task=task_name,
            json=of_run("params"),
            arguments=run_arguments,
        shell:
            "twolayer run {params.task} --params {params.json:q} {params.arguments:q} "
            "--threads {threads} --output {output:q} 2> {log:q}"
