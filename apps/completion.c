/*
 * Completion scripts, from the tables: which words may follow which.
 *
 * Each script walks over the words typed so far to learn which command they
 * name, then offers that command's subcommands, its options, or the values of
 * the option before the cursor. bash and zsh share one script (zsh has an
 * adaptor for it); fish has a line per word to offer.
 */
#include "command.h"

#include <string.h>

/** "starcloak map import" as "starcloak_map_import", a name for a function or a case. */
static void put_identifier(FILE *stream, const char *path)
{
    for (; *path != '\0'; path++) {
        fputc(*path == ' ' ? '_' : *path, stream);
    }
}

/** In single quotes, as all three shells read them. */
static void put_quoted(FILE *stream, const char *text)
{
    fputc('\'', stream);
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fputs("'\\''", stream);
        } else {
            fputc(*text, stream);
        }
    }
    fputc('\'', stream);
}

/** Call `put` for each option that help shows, the common ones last. */
static void each_option(const sc_command *command, FILE *stream, const char *path,
                        void (*put)(FILE *stream, const sc_option *option, const char *path))
{
    for (const sc_option *option = command->options; option && option->name; option++) {
        if (option->help) put(stream, option, path);
    }
    for (const sc_option *option = sc_common_options; option->name; option++) {
        if (option->help) put(stream, option, path);
    }
}

// --- bash and zsh -----------------------------------------------------------

static const char bash_start[] =
    "_starcloak_offer()\n"
    "{\n"
    "    local cur=$1 want=$2\n"
    "    [[ $want == @* ]] && compopt -o filenames 2>/dev/null\n"
    "    [[ $want == @* ]] && local IFS=$'\\n'\n"
    "    case $want in\n"
    "    @files) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
    "    @maps) COMPREPLY=($(compgen -f -X '!*.scm' -- \"$cur\"; compgen -d -- \"$cur\")) ;;\n"
    "    @directories) COMPREPLY=($(compgen -d -- \"$cur\")) ;;\n"
    "    *) COMPREPLY=($(compgen -W \"$want\" -- \"$cur\")) ;;\n"
    "    esac\n"
    "}\n\n";

static const char bash_main[] =
    "_starcloak_complete()\n"
    "{\n"
    "    local IFS=$' \\t\\n' cur=${COMP_WORDS[COMP_CWORD]} at=starcloak takes='' i=1 word\n"
    "    local children options values arguments second given=0\n"
    "    COMPREPLY=()\n"
    "    _starcloak_table \"$at\"\n"
    "    while ((i < COMP_CWORD)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        takes=''\n"
    "        if [[ $word == -* ]]; then\n"
    "            # --option=value arrives as three words, or as two without the sign.\n"
    "            takes=$(_starcloak_value \"$word\")\n"
    "            [[ -n $takes && ${COMP_WORDS[i + 1]} == '=' ]] && ((i + 1 <= COMP_CWORD)) && "
    "((i += 1))\n"
    "            [[ -n $takes ]] && ((i + 1 < COMP_CWORD)) && { takes=''; ((i += 1)); }\n"
    "        elif [[ \" $children \" == *\" $word \"* ]]; then\n"
    "            at+=_$word\n"
    "            _starcloak_table \"$at\"\n"
    "        else\n"
    "            ((given += 1))\n"
    "        fi\n"
    "        ((i += 1))\n"
    "    done\n"
    "    [[ $cur == '=' ]] && cur=''\n"
    "    if [[ -n $takes ]]; then\n"
    "        [[ $takes == @none ]] || _starcloak_offer \"$cur\" \"$takes\"\n"
    "    elif [[ $cur == --*=* ]]; then  # one word, where the shell does not part it\n"
    "        takes=$(_starcloak_value \"${cur%%=*}\")\n"
    "        [[ -z $takes || $takes == @none ]] || _starcloak_offer \"${cur#*=}\" \"$takes\"\n"
    "        COMPREPLY=(\"${COMPREPLY[@]/#/${cur%%=*}=}\")\n"
    "    elif [[ $cur == -* ]]; then\n"
    "        _starcloak_offer \"$cur\" \"$options\"\n"
    "    elif [[ -n $children ]]; then\n"
    "        _starcloak_offer \"$cur\" \"$children\"\n"
    "    elif [[ -n $second ]] && ((given > 0)); then\n"
    "        _starcloak_offer \"$cur\" \"$second\"\n"
    "    elif [[ -n $arguments ]]; then\n"
    "        _starcloak_offer \"$cur\" \"$arguments\"\n"
    "    fi\n"
    "}\n\n"
    "_starcloak_value()\n"
    "{\n"
    "    local entry\n"
    "    while read -r entry; do\n"
    "        [[ ${entry%%=*} == \"$1\" ]] && printf '%s' \"${entry#*=}\"\n"
    "    done <<<\"$values\"\n"
    "}\n\n"
    "complete -F _starcloak_complete starcloak\n";

static void put_bash_name(FILE *stream, const sc_option *option, const char *path)
{
    (void)path;
    if (option->key < SC_KEY_FIRST) fprintf(stream, "-%c ", option->key);
    fprintf(stream, "--%s ", option->name);
}

static void put_bash_value(FILE *stream, const sc_option *option, const char *path)
{
    (void)path;
    if (!option->value) return;
    const char *offered = option->complete ? option->complete : "@none";
    fprintf(stream, "--%s=%s\n", option->name, offered);
    if (option->key < SC_KEY_FIRST) fprintf(stream, "-%c=%s\n", option->key, offered);
}

/** What may follow one command, as a case of _starcloak_table(). */
static void put_bash_command(const sc_command *command, const char *path, void *context)
{
    FILE *stream = context;
    fputs("    ", stream);
    put_identifier(stream, path);
    fputs(")\n        children='", stream);
    for (size_t i = 0; command->children && command->children[i]; i++) {
        fprintf(stream, "%s%s", i > 0 ? " " : "", command->children[i]->name);
    }
    fputs("'\n        options='", stream);
    each_option(command, stream, path, put_bash_name);
    fputs("'\n        values='", stream);
    each_option(command, stream, path, put_bash_value);
    fprintf(stream, "'\n        arguments='%s' second='%s' ;;\n",
            command->complete ? command->complete : "",
            command->complete_2 ? command->complete_2 : "");
}

static void print_bash(FILE *stream, const sc_command *root)
{
    fputs("# Completion of starcloak for bash, made by 'starcloak --completion bash'.\n\n", stream);
    fputs(bash_start, stream);
    fputs("_starcloak_table()\n{\n    case $1 in\n", stream);
    sc_command_walk(root, put_bash_command, stream);
    fputs("    esac\n}\n\n", stream);
    fputs(bash_main, stream);
}

static void print_zsh(FILE *stream, const sc_command *root)
{
    fputs("#compdef starcloak\n# zsh reads the script for bash through its own adaptor.\n"
          "autoload -U +X bashcompinit && bashcompinit\n\n",
          stream);
    print_bash(stream, root);
    // As a file in $fpath this is first read in the midst of a completion: take part in it.
    fputs("\nif ((${+compstate})); then _bash_complete -F _starcloak_complete; fi\n", stream);
}

// --- fish -------------------------------------------------------------------

static const char fish_start[] =
    "# Completion of starcloak for fish, made by 'starcloak --completion fish'.\n\n"
    "# Whether the words before the cursor name exactly the command given.\n"
    "function __starcloak_at\n"
    "    set -l words (commandline -opc)\n"
    "    set -l named\n"
    "    for word in $words[2..-1]\n"
    "        string match -q -- '-*' $word; and continue\n"
    "        contains -- \"$named $word\" $__starcloak_paths; and set named \"$named $word\"\n"
    "    end\n"
    "    test \"$named\" = \"$argv[1]\"\n"
    "end\n\n";

/** The path without the program's name, each word after a blank: " map import". */
static const char *fish_path(const char *path)
{
    const char *blank = strchr(path, ' ');
    return blank ? blank : "";
}

static void put_fish_path(const sc_command *command, const char *path, void *context)
{
    (void)command;
    FILE *stream = context;
    fputc(' ', stream);
    put_quoted(stream, fish_path(path));
}

static void put_fish_start_of_line(FILE *stream, const char *path)
{
    fprintf(stream, "complete -c starcloak -n '__starcloak_at \"%s\"'", fish_path(path));
}

/** The switches of `complete` that offer what `offered` stands for. */
static void put_fish_offer(FILE *stream, const char *offered)
{
    if (!offered) {
        fputs(" -f", stream);
    } else if (strcmp(offered, SC_COMPLETE_FILES) == 0) {
        fputs(" -F", stream);
    } else if (strcmp(offered, SC_COMPLETE_MAPS) == 0) {
        fputs(" -k -f -a '(__fish_complete_suffix .scm)'", stream);
    } else if (strcmp(offered, SC_COMPLETE_DIRECTORIES) == 0) {
        fputs(" -f -a '(__fish_complete_directories)'", stream);
    } else {
        fputs(" -f -a ", stream);
        put_quoted(stream, offered);
    }
}

static void put_fish_option(FILE *stream, const sc_option *option, const char *path)
{
    put_fish_start_of_line(stream, path);
    fprintf(stream, " -l %s", option->name);
    if (option->key < SC_KEY_FIRST) fprintf(stream, " -s %c", option->key);
    if (option->value) {
        fputs(" -r", stream);
        put_fish_offer(stream, option->complete);
    }
    fputs(" -d ", stream);
    // A menu has room for little: the first part of the sentence, cut at a word's end.
    char text[72];
    size_t size = strcspn(option->help, ";.(\n");
    if (size >= sizeof(text)) size = sizeof(text) - 1;
    while (size > 0 && option->help[size] != '\0' && strchr(" ;.(\n", option->help[size]) == NULL) {
        size--;
    }
    while (size > 0 && option->help[size - 1] == ' ') {
        size--;
    }
    snprintf(text, sizeof(text), "%.*s", (int)size, option->help);
    put_quoted(stream, text);
    fputc('\n', stream);
}

static void put_fish_command(const sc_command *command, const char *path, void *context)
{
    FILE *stream = context;
    for (size_t i = 0; command->children && command->children[i]; i++) {
        put_fish_start_of_line(stream, path);
        fprintf(stream, " -f -a %s -d ", command->children[i]->name);
        put_quoted(stream, command->children[i]->summary);
        fputc('\n', stream);
    }
    if (!command->children) {
        put_fish_start_of_line(stream, path);
        put_fish_offer(stream, command->complete);
        fputc('\n', stream);
    }
    if (command->complete_2) {  // fish offers both for each argument
        put_fish_start_of_line(stream, path);
        put_fish_offer(stream, command->complete_2);
        fputc('\n', stream);
    }
    each_option(command, stream, path, put_fish_option);
}

static void print_fish(FILE *stream, const sc_command *root)
{
    fputs(fish_start, stream);
    fputs("set -g __starcloak_paths", stream);
    sc_command_walk(root, put_fish_path, stream);
    fputs("\n\n", stream);
    sc_command_walk(root, put_fish_command, stream);
}

bool sc_completion_print(FILE *stream, const sc_command *root, const char *shell)
{
    if (strcmp(shell, "bash") == 0) {
        print_bash(stream, root);
    } else if (strcmp(shell, "zsh") == 0) {
        print_zsh(stream, root);
    } else if (strcmp(shell, "fish") == 0) {
        print_fish(stream, root);
    } else {
        return false;
    }
    return true;
}
