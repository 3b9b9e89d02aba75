# What bash completes after `gammonclock`; written by lab.docs.generate_manual.
_gammonclock() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local command='' words=''
    ((COMP_CWORD == 1)) || command=${COMP_WORDS[1]}
    case "$command $before" in
        "report --only") words='players games flags acts breaks stops faults restarts refused extremes incidents turns' ;;
        "report --language") words='en de da nb' ;;
        *)
            case $command in
                "") words='check-config doctor forecast hub link logs play profiles report room-cards room-join run verify watch --help --version' ;;
                check-config) words='--help' ;;
                doctor) words='--config --no-input --report --wire --force --help' ;;
                forecast) words='--check --help' ;;
                hub) words='--config --keys --port --host --database --round-by --help' ;;
                link) words='--config --logs --offers --help' ;;
                logs) words='--older-than --delete --under-way --help' ;;
                play) words='--config --log --force --help' ;;
                profiles) words='--help' ;;
                report) words='--turns --turn --stop --only --rulings --html --json --csv --xlsx --language --chart --force --help' ;;
                room-cards) words='--help' ;;
                room-join) words='--help' ;;
                run) words='--config --simulate --browser --resume --instead --new --offers --room --help' ;;
                verify) words='--head --results --help' ;;
                watch) words='--port --host --open --database --pace --code --baud --round-by --practice --no-practice --help' ;;
            esac
            [[ -z $command || $word == -* ]] || words='' # a file
            ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _gammonclock gammonclock
